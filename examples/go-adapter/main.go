package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
)

func main() {
	device, err := OpenDevice(required("DEVICE_LOG"))
	if err != nil {
		fatal("DEVICE_LOG", err)
	}
	path := os.Getenv("RECORDS")
	if path == "" {
		path = required("DEVICE_LOG") + ".records"
	}
	records, err := OpenRecords(path)
	if err != nil {
		fatal("RECORDS", err)
	}
	connection, prefix, err := connect(required("NATS_URL"), os.Getenv("NATS_SEED"))
	if err != nil {
		fatal("NATS_URL", err)
	}
	js, err := jetstream.NewWithAPIPrefix(connection, prefix)
	if err != nil {
		fatal("JetStream", err)
	}
	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer cancel()
	adapter := NewAdapter(required("TENANT_ID"), required("VENDOR"), connection, js, device, records)
	adapter.Run(stop)
	connection.FlushTimeout(2 * time.Second)
	connection.Close()
}

func connect(url, seed string) (*nats.Conn, string, error) {
	options := []nats.Option{
		nats.RetryOnFailedConnect(true),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(250 * time.Millisecond),
	}
	prefix := "$JS.API"
	if seed != "" {
		pair, err := nkeys.FromSeed([]byte(seed))
		if err != nil {
			return nil, "", err
		}
		key, err := pair.PublicKey()
		if err != nil {
			return nil, "", err
		}
		prefix = "TOP.API"
		options = append(options, nats.Nkey(key, pair.Sign), nats.CustomInboxPrefix("_INBOX_"+key))
	}
	connection, err := nats.Connect(url, options...)
	return connection, prefix, err
}

func required(name string) string {
	value := os.Getenv(name)
	if value == "" {
		fatal(name, fmt.Errorf("is not set"))
	}
	return value
}

func logf(format string, values ...any) {
	fmt.Fprintf(os.Stderr, "%s %s\n", time.Now().UTC().Format(time.RFC3339Nano), fmt.Sprintf(format, values...))
}

func fatal(what string, err error) {
	logf("%s: %v", what, err)
	os.Exit(1)
}
