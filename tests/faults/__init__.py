"""Programs that make the world fail: disks, kills, other writers."""
