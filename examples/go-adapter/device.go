package main

import (
	"fmt"
	"os"
	"time"
)

// Device stands for the protocol of the vendor.
type Device struct{ log *os.File }

func OpenDevice(path string) (*Device, error) {
	log, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	return &Device{log}, err
}

func (d *Device) Execute(deviceID, commandID string) error {
	if _, err := fmt.Fprintf(d.log, "%s %s begin\n", deviceID, commandID); err != nil {
		return err
	}
	time.Sleep(300 * time.Millisecond)
	_, err := fmt.Fprintf(d.log, "%s %s end\n", deviceID, commandID)
	return err
}
