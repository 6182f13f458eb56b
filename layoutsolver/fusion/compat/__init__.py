"""What the first version of the production compiler's fusion does, defects included, to be compared with.

Every file is one of its passes, on the same items as the sound ones. Source: fusion spec 2.2, 3, 6.6.
"""
