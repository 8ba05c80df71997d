package main

import (
	"sync"
	"time"
)

// Clock is the clock of NATS, counted on with the monotonic clock of this process.
type Clock struct {
	mu    sync.Mutex
	nats  time.Time
	local time.Time
}

func (c *Clock) Set(nats, local time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nats, c.local = nats, local
}

func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.nats.Add(time.Since(c.local))
}
