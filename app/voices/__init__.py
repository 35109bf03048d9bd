"""The panel of voices: hearing, choosing and blending them."""
