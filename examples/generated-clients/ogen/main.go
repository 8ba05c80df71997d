// Sends a command with a client of ogen and reads it back.
package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"os"

	"example/platform"
	"example/signing"
)

// The transport signs. ogen asks for the four headers before it has the request.
type unsigned struct{}

func (unsigned) ApiId(context.Context, platform.OperationName) (header platform.ApiId, err error) {
	return
}

func (unsigned) ApiTimestamp(context.Context, platform.OperationName) (header platform.ApiTimestamp, err error) {
	return
}

func (unsigned) ApiNonce(context.Context, platform.OperationName) (header platform.ApiNonce, err error) {
	return
}

func (unsigned) ApiSignature(context.Context, platform.OperationName) (header platform.ApiSignature, err error) {
	return
}

func main() {
	transport := signing.Transport{ClientID: os.Getenv("TOP_CLIENT_ID"), Secret: os.Getenv("TOP_SECRET")}
	http := platform.WithClient(&http.Client{Transport: transport})
	client, err := platform.NewClient(os.Getenv("TOP_BASE_URL"), unsigned{}, http)
	stopAt(err)

	ctx, reboot := context.Background(), platform.CommandCreate{
		Vendor:         "vendor_a",
		DeviceID:       "ok-1",
		CommandType:    "reboot",
		Payload:        platform.CommandCreatePayload{},
		IdempotencyKey: rand.Text(),
	}
	created, err := client.CommandsCreate(ctx, &reboot, platform.CommandsCreateParams{})
	stopAt(err)
	accepted, ok := created.(*platform.CommandAcceptedHeaders)
	if !ok {
		stopAt(fmt.Errorf("refused: %+v", created))
	}
	id, wait := accepted.Response.CommandID, platform.NewOptInt(10)
	read, err := client.CommandsGet(ctx, platform.CommandsGetParams{CommandID: id, WaitSeconds: wait})
	stopAt(err)
	command, ok := read.(*platform.CommandHeaders)
	if !ok {
		stopAt(fmt.Errorf("refused: %+v", read))
	}
	fmt.Println(command.Response.CommandID, command.Response.Status)
}

// A refusal with a status that the document lists is a response. Any other is an error.
func stopAt(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
