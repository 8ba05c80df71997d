module example/signing

go 1.24
