"""The models a user can have: the catalogue, what is installed, fetching, importing, verifying, removing.

The network itself is `engine.network`.
"""
