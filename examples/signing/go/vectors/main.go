// Signs the requests of standard input.
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"strings"

	"example/signing/signing"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		f := strings.Split(lines.Text(), "\t")
		body, _ := hex.DecodeString(f[6])
		fmt.Println(signing.Signature(f[0], f[1], f[2], f[3], f[4], f[5], body))
	}
}
