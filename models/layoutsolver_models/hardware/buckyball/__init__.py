"""The numpy model of Buckyball: banks, their mapping table, DRAM, and what every instruction does to them."""
