"""What every room uses: checks of arguments, warnings, hints, progress, extras."""
