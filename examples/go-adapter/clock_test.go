package main

import (
	"os"
	"strings"
	"testing"
	"time"
)

func logged(t *testing.T, do func()) string {
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	stderr := os.Stderr
	os.Stderr = file
	do()
	os.Stderr = stderr
	text, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAClockThatDiffersIsNamedOnce(t *testing.T) {
	for _, test := range []struct {
		ahead time.Duration
		want  string
	}{
		{time.Hour, "The clock of this machine is 3600 s ahead of that of NATS."},
		{-time.Hour, "The clock of this machine is 3600 s behind that of NATS."},
		{4 * time.Second, ""},
		{-4 * time.Second, ""},
	} {
		got := logged(t, func() {
			var clock Clock
			for range 2 {
				clock.Set(time.Now().Add(-test.ahead).Round(0), time.Now())
			}
		})
		if !strings.Contains(got, test.want) || strings.Count(got, "The clock") != strings.Count(test.want, "The clock") {
			t.Errorf("%v ahead: %q", test.ahead, got)
		}
	}
}
