// nothing

// at all
