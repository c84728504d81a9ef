"""Findings settled in the source: planned over the analysed tree, proved by analysing it again, and only then written.

libcst, which proves that nothing but additions happened, is imported when there is something to write.
"""
