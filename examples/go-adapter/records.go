package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Older than every message that TOP_COMMANDS can still deliver (10 minutes).
const keepRecords = time.Hour

type record struct {
	end End
	at  time.Time
}

// Records has, for each command, the end that is true if this process dies now.
// It is written before the command begins, so a command without a record never began.
type Records struct {
	mu    sync.Mutex
	file  *os.File
	since time.Time
	byID  map[string]record
}

func OpenRecords(path string) (*Records, error) {
	lock, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return nil, err
	}
	r := &Records{byID: map[string]record{}}
	if err := r.read(path); err != nil {
		return nil, err
	}
	// A new file: the old one can have grown, or end in half a line.
	if r.file, err = os.OpenFile(path+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
		return nil, err
	}
	if !r.since.IsZero() {
		r.write("since", r.since.Format(time.RFC3339Nano), time.Now())
	}
	for id, record := range r.byID {
		r.write(id, string(record.end), record.at)
	}
	return r, os.Rename(path+".new", path)
}

func (r *Records) read(path string) error {
	file, err := os.Open(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) != 4 || fields[3] != "." {
			continue
		}
		at, err := time.Parse(time.RFC3339Nano, fields[2])
		if err != nil {
			return err
		}
		if fields[0] == "since" {
			if r.since, err = time.Parse(time.RFC3339Nano, fields[1]); err != nil {
				return err
			}
			continue
		}
		r.byID[fields[0]] = record{End(fields[1]), at}
	}
	r.forgetOld()
	return lines.Err()
}

// A record that cannot be written must stop the process: nothing may begin without it.
func (r *Records) write(id, value string, at time.Time) {
	_, err := fmt.Fprintf(r.file, "%s %s %s .\n", id, value, at.Format(time.RFC3339Nano))
	if err == nil {
		err = r.file.Sync()
	}
	if err != nil {
		fatal("records", err)
	}
}

func (r *Records) Set(id string, end End) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	r.write(id, string(end), now)
	r.byID[id] = record{end, now}
}

func (r *Records) Get(id string) (End, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	record, ok := r.byID[id]
	return record.end, ok
}

func (r *Records) Open() map[string]End {
	r.mu.Lock()
	defer r.mu.Unlock()
	open := map[string]End{}
	for id, record := range r.byID {
		if record.end != Reported {
			open[id] = record.end
		}
	}
	return open
}

// SinceIfNew keeps the time, by the clock of NATS, from which the records are complete.
func (r *Records) SinceIfNew(nats time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.since.IsZero() {
		r.write("since", nats.Format(time.RFC3339Nano), time.Now())
		r.since = nats
	}
}

func (r *Records) HaveSince() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.since.IsZero()
}

// Covers reports whether a command without a record, stored at this time, never began.
func (r *Records) Covers(stored time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.since.IsZero() && stored.After(r.since)
}

func (r *Records) ForgetOld() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forgetOld()
}

func (r *Records) forgetOld() {
	for id, record := range r.byID {
		if record.end == Reported && time.Since(record.at) > keepRecords {
			delete(r.byID, id)
		}
	}
}
