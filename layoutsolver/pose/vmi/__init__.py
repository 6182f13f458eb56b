"""The layout question of a VMI program as a selection problem."""
