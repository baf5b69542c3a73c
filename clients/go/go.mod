module purser

go 1.19
