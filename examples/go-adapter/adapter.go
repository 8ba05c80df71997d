package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	maxHeld  = 32
	pullTime = 500 * time.Millisecond
	// See learnClock: it is as exact as a pull is short.
	firstPullTime = 100 * time.Millisecond
	inProgress    = 2 * time.Second
	waitEnds      = 2 * time.Second // before the deadline
	trustedAfter  = 60 * time.Second
	// NATS delivers a message again 6 seconds after the last sign of life.
	trustedFor = 5 * time.Second
)

type Adapter struct {
	tenant, vendor string
	connection     *nats.Conn
	js             jetstream.JetStream
	device         *Device
	records        *Records
	clock          Clock

	mu       sync.Mutex
	held     map[string]*command
	waiting  map[string][]*command
	stopping bool
	work     sync.WaitGroup
}

func NewAdapter(tenant, vendor string, connection *nats.Conn, js jetstream.JetStream, device *Device, records *Records) *Adapter {
	return &Adapter{
		tenant: tenant, vendor: vendor, connection: connection, js: js, device: device, records: records,
		held: map[string]*command{}, waiting: map[string][]*command{},
	}
}

// link is one connection to one start of NATS.
type link struct {
	server string
	count  uint64
}

func (a *Adapter) link() link {
	return link{a.connection.ConnectedServerId(), a.connection.Stats().Reconnects}
}

// pull is what was known when a pull was sent.
type pull struct {
	link       link
	sent       time.Time
	asked      time.Time // for messages
	firstPull  time.Time
	consumer   jetstream.Consumer
	clustered  bool
	lastActive time.Time // of the durable consumer, when this process began to read
	linkActive time.Time // the same, when this link was new
	clockKnown bool
}

func (a *Adapter) Run(stop context.Context) {
	for id, end := range a.records.Open() {
		logf("end from the records: %s %s", id, end)
		a.report(id, func() End { return end }, "")
	}
	done := make(chan struct{})
	go a.tick(done)
	a.read(stop)
	a.giveBack()
	a.work.Wait()
	close(done)
}

func (a *Adapter) read(stop context.Context) {
	var consumer jetstream.Consumer
	var first, linked *pull
	for stop.Err() == nil {
		if a.countHeld() >= maxHeld {
			time.Sleep(50 * time.Millisecond)
			continue
		}
		next := pull{link: a.link(), sent: time.Now()}
		ctx, cancel := context.WithTimeout(stop, 2*time.Second)
		var err error
		var info *jetstream.ConsumerInfo
		if consumer == nil {
			consumer, err = a.js.Consumer(ctx, "TOP_COMMANDS", a.tenant+"+"+a.vendor)
		}
		if err == nil {
			info, err = consumer.Info(ctx)
		}
		cancel()
		if err != nil {
			logf("durable consumer: %v", err)
			time.Sleep(200 * time.Millisecond)
			continue
		}
		next.consumer, next.clustered = consumer, info.Cluster != nil
		if !info.TimeStamp.IsZero() {
			a.clock.Set(info.TimeStamp, next.sent)
			a.records.SinceIfNew(info.TimeStamp)
			next.clockKnown = true
		}
		if linked == nil || linked.link != next.link {
			if info.Delivered.Last != nil {
				next.linkActive = *info.Delivered.Last
			}
			linked = &next
		}
		if first == nil {
			next.firstPull, next.lastActive = next.sent, next.linkActive
			first = &next
			logf("Reads %s+%s on TOP_COMMANDS.", a.tenant, a.vendor)
		}
		next.firstPull, next.lastActive, next.linkActive = first.firstPull, first.lastActive, linked.linkActive
		a.fetch(stop, &next)
	}
}

func (a *Adapter) fetch(stop context.Context, p *pull) {
	wait := pullTime
	if !a.records.HaveSince() {
		wait = firstPullTime
	}
	p.asked = time.Now()
	batch, err := p.consumer.Fetch(maxHeld-a.countHeld(), jetstream.FetchMaxWait(wait))
	if err != nil {
		logf("pull: %v", err)
		time.Sleep(200 * time.Millisecond)
		return
	}
	for message := range batch.Messages() {
		if isStale(p.asked) {
			continue // It waited in the socket while this process stood still. NATS delivers it again.
		}
		if stop.Err() != nil {
			message.Nak()
			continue
		}
		a.receive(message, p)
	}
}

// nats-server 2.9 tells its time only with a delivery. NATS delivered after the pull was sent,
// so the time at which this process began to read was at the latest what is computed here.
func (a *Adapter) learnClock(p *pull, arrived time.Time) bool {
	if p.clockKnown {
		return true
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	info, err := p.consumer.Info(ctx)
	// After a restart of NATS the information can have the time of an older delivery.
	if err != nil || info.Delivered.Last == nil || a.link() != p.link {
		return false
	}
	a.clock.Set(*info.Delivered.Last, arrived)
	a.records.SinceIfNew(info.Delivered.Last.Add(-p.sent.Sub(p.firstPull)))
	p.clockKnown = true
	return true
}

func (a *Adapter) receive(message jetstream.Msg, p *pull) {
	arrived := time.Now()
	c := &command{message: message, traceparent: message.Headers().Get("traceparent"), alive: p.asked}
	meta, err := message.Metadata()
	if err != nil || json.Unmarshal(message.Data(), &c.body) != nil || c.body.CommandID == "" || c.body.DeviceID == "" {
		logf("a message that is not a command: %q", message.Data())
		message.Term()
		return
	}
	if a.replaceHeld(c) {
		return
	}
	if _, known := a.records.Get(c.body.CommandID); known {
		message.Ack()
		return
	}
	if !a.learnClock(p, arrived) {
		return // NATS delivers it again.
	}
	left := time.Duration(c.body.RemainingMs)*time.Millisecond - a.clock.Now().Sub(meta.Timestamp)
	c.due = time.Now().Add(left)
	if !a.neverBegan(message, meta, p) {
		logf("may have begun: %s, delivery %d, stored %s, %v", c.body.CommandID, meta.NumDelivered, meta.Timestamp.UTC().Format(time.RFC3339Nano), message.Headers())
		a.refuse(c, Unknown)
		return
	}
	a.accept(c)
}

func (a *Adapter) neverBegan(message jetstream.Msg, meta *jetstream.MsgMetadata, p *pull) bool {
	if message.Headers().Get("Sent-Again") != "" {
		return false
	}
	// No process that wrote no records can have read it, and the records do not have it.
	if a.records.Covers(meta.Timestamp) {
		return true
	}
	return meta.NumDelivered == 1 &&
		a.link() == p.link && p.link.server != "" &&
		message.Headers().Get("Sent-To") == p.link.server &&
		!p.clustered &&
		(meta.Timestamp.After(p.linkActive) || !forgetsDeliveries(a.connection.ConnectedServerVersion())) &&
		!p.lastActive.IsZero() && !meta.Timestamp.After(p.lastActive.Add(trustedAfter))
}

// Before 2.10.14, nats-server can deliver as new what it has delivered to a connection that died.
func forgetsDeliveries(version string) bool {
	var major, minor, patch int
	fmt.Sscanf(version, "%d.%d.%d", &major, &minor, &patch)
	return major < 2 || major == 2 && (minor < 10 || minor == 10 && patch < 14)
}
