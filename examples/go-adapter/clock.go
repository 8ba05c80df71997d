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
	named bool
}

// Set is told what the clock of NATS showed at some moment since local.
func (c *Clock) Set(nats, local time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nats, c.local = nats, local
	c.nameDifference(local.Sub(nats), nats.Sub(time.Now()))
}

func (c *Clock) nameDifference(ahead, behind time.Duration) {
	if c.named || max(ahead, behind) <= 5*time.Second {
		return
	}
	c.named = true
	differs, said := ahead, "ahead of"
	if behind > ahead {
		differs, said = behind, "behind"
	}
	logf("The clock of this machine is %.0f s %s that of NATS. Deadlines are those of NATS' clock.", differs.Seconds(), said)
}

func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.nats.Add(time.Since(c.local))
}
