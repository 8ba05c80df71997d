// Sends a command with a generated client and reads it back.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"

	"example/platform"
	"example/signing"
)

func main() {
	transport := signing.Transport{ClientID: os.Getenv("TOP_CLIENT_ID"), Secret: os.Getenv("TOP_SECRET")}
	configuration := platform.NewConfiguration()
	configuration.Servers = platform.ServerConfigurations{{URL: os.Getenv("TOP_BASE_URL")}}
	configuration.HTTPClient = &http.Client{Transport: transport}
	commands := platform.NewAPIClient(configuration).CommandsAPI

	ctx, payload, key := context.Background(), map[string]interface{}{}, rand.Text()
	reboot := platform.NewCommandCreate("vendor_a", "ok-1", "reboot", payload, key)
	accepted, _, err := commands.CommandsCreate(ctx).CommandCreate(*reboot).Execute()
	stopAt(err)
	command, _, err := commands.CommandsGet(ctx, accepted.CommandId).WaitSeconds(10).Execute()
	stopAt(err)
	fmt.Println(command.CommandId, command.Status)
}

func stopAt(err error) {
	var refusal *platform.GenericOpenAPIError
	if errors.As(err, &refusal) {
		fmt.Fprintln(os.Stderr, string(refusal.Body()))
		os.Exit(1)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
