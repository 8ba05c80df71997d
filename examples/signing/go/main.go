// Sends a command and waits for its outcome.
package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"

	"example/signing/signing"
)

func main() {
	client := http.Client{Transport: signing.Transport{ClientID: os.Getenv("TOP_CLIENT_ID"), Secret: os.Getenv("TOP_SECRET")}}
	commands := os.Getenv("TOP_BASE_URL") + "/api/v1/open/downlink/commands"
	reboot, err := json.Marshal(map[string]any{
		"vendor":          "vendor_a",
		"device_id":       "ok-1",
		"command_type":    "reboot",
		"payload":         map[string]any{},
		"idempotency_key": rand.Text(),
	})
	stopAt(err)
	var accepted struct {
		CommandID string `json:"command_id"`
	}
	stopAt(json.Unmarshal(bodyOf(client.Post(commands, "application/json", bytes.NewReader(reboot))), &accepted))
	fmt.Println(string(bodyOf(client.Get(commands + "/" + accepted.CommandID + "?wait_seconds=30"))))
}

// bodyOf returns the body of an answer. A refusal ends the program.
func bodyOf(answer *http.Response, err error) []byte {
	stopAt(err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	stopAt(err)
	if answer.StatusCode >= 300 {
		fmt.Fprintln(os.Stderr, string(body))
		os.Exit(1)
	}
	return body
}

func stopAt(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
