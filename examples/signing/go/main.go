// Sends a command. With the argument "vectors" it signs the requests of standard input instead.
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"example/signing/signing"
)

func main() {
	if len(os.Args) > 1 {
		lines := bufio.NewScanner(os.Stdin)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			f := strings.Split(lines.Text(), "\t")
			body, _ := hex.DecodeString(f[6])
			fmt.Println(signing.Signature(f[0], f[1], f[2], f[3], f[4], f[5], body))
		}
		return
	}
	client := http.Client{Transport: signing.Transport{ClientID: os.Getenv("TOP_CLIENT_ID"), Secret: os.Getenv("TOP_SECRET")}}
	command := fmt.Sprintf(`{"vendor":"vendor_a","device_id":"ok-1","command_type":"reboot","payload":{},"idempotency_key":"go-%d"}`, time.Now().UnixNano())
	answer, err := client.Post(os.Getenv("TOP_BASE_URL")+"/api/v1/open/downlink/commands", "application/json", strings.NewReader(command))
	if err != nil {
		panic(err)
	}
	text, _ := io.ReadAll(answer.Body)
	if answer.StatusCode != 202 {
		fmt.Fprintln(os.Stderr, string(text))
		os.Exit(1)
	}
	fmt.Println(string(text))
}
