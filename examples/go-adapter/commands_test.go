package main

import (
	"testing"
	"time"
)

func TestWhatIsTrueAfterTheProcessStoodStill(t *testing.T) {
	for _, c := range []struct {
		still     time.Duration
		end, want End
	}{
		{time.Second, Unreachable, Unreachable},
		{6 * time.Second, Unreachable, Unknown},
		{6 * time.Second, TooLate, Unknown},
		{6 * time.Second, Succeeded, Succeeded},
	} {
		got := new(Adapter).trueEnd(&command{alive: time.Now().Add(-c.still)}, c.end)
		if got != c.want {
			t.Errorf("%s after %v is %s", c.end, c.still, got)
		}
	}
}

// The commands have no message and the adapter no records: what uses them panics.
func TestWhatHasNotBegunWhenTheProcessStoodStillIsForgotten(t *testing.T) {
	for name, do := range map[string]func(*Adapter, *command){
		"at its turn":         (*Adapter).execute,
		"before its deadline": func(a *Adapter, _ *command) { a.endWaits() },
		"at the end":          func(a *Adapter, _ *command) { a.giveBack() },
		"at a beat":           func(a *Adapter, _ *command) { a.stillWorking(); a.endWaits() },
	} {
		c := &command{alive: time.Now().Add(-6 * time.Second)}
		a := &Adapter{held: map[string]*command{"": c}, waiting: map[string][]*command{"": {c}}}
		do(a, c)
		if len(a.held) > 0 {
			t.Errorf("%s the command is held", name)
		}
	}
}
