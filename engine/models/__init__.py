"""The models: the catalog, and how they are installed, downloaded, imported, verified and removed.

The network itself is `engine.network`.
"""
