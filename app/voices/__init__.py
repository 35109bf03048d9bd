"""The panel of voices: previewing, choosing and blending them."""
