package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/nats-io/nats.go"
)

type End string

const (
	Succeeded   End = "SUCCEEDED"   // the device executed the command
	Unknown     End = "TIMED_OUT"   // the device may have the command
	Unreachable End = "UNREACHABLE" // it never began: the device was busy for too long
	TooLate     End = "FAILED"      // it never began: no time was left
	Reported    End = "REPORTED"    // the platform has the end
)

type reason struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type update struct {
	CommandID             string         `json:"command_id"`
	AdapterStatus         End            `json:"adapter_status,omitempty"`
	DeviceExecutionStatus End            `json:"device_execution_status,omitempty"`
	StatusReason          *reason        `json:"status_reason,omitempty"`
	Result                map[string]any `json:"result,omitempty"`
	OccurredAt            string         `json:"occurred_at"`
}

func newUpdate(id string, end End, at time.Time) update {
	u := update{CommandID: id, OccurredAt: at.UTC().Format(time.RFC3339Nano)}
	switch end {
	case Succeeded:
		u.DeviceExecutionStatus = end
		u.Result = map[string]any{"executed": true}
	case Unknown:
		u.DeviceExecutionStatus = end
		u.StatusReason = &reason{"MAY_HAVE_BEGUN", "The device may have executed the command. The adapter did not start it again."}
	case Unreachable:
		u.AdapterStatus = end
		u.StatusReason = &reason{"DEVICE_BUSY", "The device was busy until the time was over. The command never began."}
	case TooLate:
		u.AdapterStatus = end
		u.StatusReason = &reason{"TOO_LATE", "No time was left. The command never began."}
	}
	return u
}

// report returns when NATS has stored the end, however long that takes. What is true can change meanwhile.
func (a *Adapter) report(id string, trueEnd func() End, traceparent string) {
	at := time.Now()
	for {
		end := trueEnd()
		data, err := json.Marshal(newUpdate(id, end, at))
		if err != nil {
			fatal("update", err)
		}
		message := nats.NewMsg("tenants." + a.tenant + ".command-updates." + a.vendor)
		message.Data = data
		message.Header.Set("Nats-Msg-Id", id+"."+string(end))
		if traceparent != "" {
			message.Header.Set("traceparent", traceparent)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		_, err = a.js.PublishMsg(ctx, message)
		cancel()
		if err == nil {
			break
		}
		logf("publish %s of %s: %v", end, id, err)
		time.Sleep(200 * time.Millisecond)
	}
	a.records.Set(id, Reported)
}
