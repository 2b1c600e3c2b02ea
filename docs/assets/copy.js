// The copy button of a session copies what was typed: no prompts, and nothing that was printed. The theme copies what
// `data-copy` says, where a block has it.
for (const code of document.querySelectorAll(".highlight pre > code")) {
  const lines = code.textContent.split("\n")
  if (!/^(>>>|\$) /.test(lines[0])) continue
  const typed = []
  const shell = lines[0].startsWith("$")
  let open = false // Whether a statement or a command may go on in this line.
  for (const [i, line] of lines.entries()) {
    const goesOn = shell ? lines[i - 1]?.endsWith("\\") : /^\.\.\.( |$)/.test(line)
    open = /^(>>>|\$)( |$)/.test(line) || (open && goesOn)
    if (open) typed.push(line.replace(/^(>>>|\.\.\.|\$) ?/, "").replace(/\s+# doctest:.*$/, ""))
  }
  code.parentElement.setAttribute("data-copy", typed.join("\n") + "\n")
}
