"""Retrievers and documents of other libraries, known by their documented methods and fields.

No library is imported here: whoever passes one of its objects has imported it.
"""
