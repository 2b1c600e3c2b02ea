// The copy button of a session copies what was typed: no prompts, and nothing that was printed. The theme copies what
// `data-copy` says, where a block has it.
for (const code of document.querySelectorAll(".highlight pre > code")) {
  const lines = code.textContent.split("\n")
  if (!/^(>>>|\$) /.test(lines[0])) continue
  const typed = []
  let open = false // Whether a statement may go on in this line.
  for (const line of lines) {
    open = /^(>>>|\$)( |$)/.test(line) || (open && /^\.\.\.( |$)/.test(line))
    if (open) typed.push(line.replace(/^(>>>|\.\.\.|\$) ?/, "").replace(/\s+# doctest:.*$/, ""))
  }
  code.parentElement.setAttribute("data-copy", typed.join("\n") + "\n")
}
