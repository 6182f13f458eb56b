"""What the released compiler decides on a VMI program: a re-implementation of its assignment of layouts."""
