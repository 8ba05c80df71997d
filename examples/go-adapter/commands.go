package main

import (
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

type command struct {
	body struct {
		CommandID   string `json:"command_id"`
		DeviceID    string `json:"device_id"`
		RemainingMs int64  `json:"remaining_ms"`
	}
	message     jetstream.Msg // the last delivery
	traceparent string
	due         time.Time
	waited      bool
	alive       time.Time // the last sign of life, or when the pull was sent that brought it
}

// isStale reports whether NATS may have given the command to another process: this one stood still.
func isStale(alive time.Time) bool { return time.Since(alive) > trustedFor }

func (a *Adapter) countHeld() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.held)
}

// replaceHeld reports whether this process has the command already.
func (a *Adapter) replaceHeld(c *command) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	held, ok := a.held[c.body.CommandID]
	if ok {
		held.message = c.message
	}
	return ok
}

func (a *Adapter) release(c *command) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.held, c.body.CommandID)
	c.message.Ack()
}

// accept starts the command, or lets it wait for the command before it on its device.
func (a *Adapter) accept(c *command) {
	a.mu.Lock()
	defer a.mu.Unlock()
	id := c.body.DeviceID
	a.held[c.body.CommandID] = c
	queue, busy := a.waiting[id]
	if busy {
		c.waited = true
		a.waiting[id] = append(queue, c)
		return
	}
	a.waiting[id] = nil
	a.work.Add(1)
	go a.serve(id, c)
}

func (a *Adapter) serve(deviceID string, c *command) {
	defer a.work.Done()
	for ; c != nil; c = a.next(deviceID) {
		a.execute(c)
	}
}

func (a *Adapter) next(deviceID string) *command {
	a.mu.Lock()
	defer a.mu.Unlock()
	queue := a.waiting[deviceID]
	if len(queue) == 0 {
		delete(a.waiting, deviceID)
		return nil
	}
	a.waiting[deviceID] = queue[1:]
	return queue[0]
}

func (a *Adapter) execute(c *command) {
	id := c.body.CommandID
	if a.dropIfStale(c) {
		return
	}
	end := Unknown
	if left := time.Until(c.due); c.waited && left < waitEnds {
		end = Unreachable
	} else if left <= 0 {
		end = TooLate
	}
	a.records.Set(id, end)
	if end == Unknown {
		if err := a.device.Execute(c.body.DeviceID, id); err != nil {
			logf("device: %v", err)
		} else {
			end = Succeeded
			a.records.Set(id, end)
		}
	}
	a.finish(c, end)
}

// finish does not keep the device waiting while NATS is away.
func (a *Adapter) finish(c *command, end End) {
	a.work.Add(1)
	go func() {
		defer a.work.Done()
		a.report(c.body.CommandID, func() End { return a.trueEnd(c, end) }, c.traceparent)
		a.release(c)
	}()
}

// trueEnd: that the device has done it stays true if another process has the command too.
func (a *Adapter) trueEnd(c *command, end End) End {
	a.mu.Lock()
	defer a.mu.Unlock()
	if end != Succeeded && isStale(c.alive) {
		return Unknown
	}
	return end
}

// dropIfStale forgets a command that has not begun. NATS delivers it again, if no other process has it.
func (a *Adapter) dropIfStale(c *command) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !isStale(c.alive) {
		return false
	}
	logf("not started, because this process stood still: %s", c.body.CommandID)
	delete(a.held, c.body.CommandID)
	return true
}

// refuse ends a command that does not begin here.
func (a *Adapter) refuse(c *command, end End) {
	a.mu.Lock()
	a.held[c.body.CommandID] = c
	a.mu.Unlock()
	a.records.Set(c.body.CommandID, end)
	a.finish(c, end)
}

func (a *Adapter) tick(done chan struct{}) {
	lastInProgress := time.Now()
	for {
		select {
		case <-done:
			return
		case <-time.After(100 * time.Millisecond):
		}
		a.endWaits()
		if time.Since(lastInProgress) < inProgress {
			continue
		}
		lastInProgress = time.Now()
		a.records.ForgetOld()
		a.stillWorking()
	}
}

func (a *Adapter) stillWorking() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range a.held {
		if !isStale(c.alive) && a.connection.IsConnected() && c.message.InProgress() == nil {
			c.alive = time.Now()
		}
	}
}

func (a *Adapter) endWaits() {
	for _, c := range a.takeWaiting(func(c *command) bool { return time.Until(c.due) < waitEnds }) {
		if !a.dropIfStale(c) {
			a.refuse(c, Unreachable)
		}
	}
}

func (a *Adapter) giveBack() {
	for _, c := range a.takeWaiting(func(*command) bool { return true }) {
		if a.dropIfStale(c) {
			continue
		}
		a.mu.Lock()
		delete(a.held, c.body.CommandID)
		c.message.Nak()
		a.mu.Unlock()
	}
}

func (a *Adapter) takeWaiting(take func(*command) bool) []*command {
	a.mu.Lock()
	defer a.mu.Unlock()
	var taken []*command
	for id, queue := range a.waiting {
		var rest []*command
		for _, c := range queue {
			if take(c) {
				taken = append(taken, c)
			} else {
				rest = append(rest, c)
			}
		}
		a.waiting[id] = rest
	}
	return taken
}
