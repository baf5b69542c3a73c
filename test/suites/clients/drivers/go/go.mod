module driver

go 1.19

require purser v0.0.0

replace purser => ../../../../../clients/go
