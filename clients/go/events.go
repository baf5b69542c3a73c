package purser

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"time"
)

// rest is between two requests that had events, or those of a busy account use up its limit of requests.
const rest = time.Second

// Place is where to go on with events. Write your own to keep it in the database that has what you made of the events.
type Place interface {
	// Load is empty at first.
	Load() (string, error)
	// Save returns when it is stored for good. Empty: from the oldest event again.
	Save(eventID string) error
}

// FilePlace keeps the place in a file, which has the old event or the new one after a crash.
type FilePlace string

func (p FilePlace) Load() (string, error) {
	text, err := os.ReadFile(string(p))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(text)), err
}

func (p FilePlace) Save(eventID string) error {
	unfinished := string(p) + ".unfinished"
	file, err := os.OpenFile(unfinished, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(eventID)
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(unfinished, string(p))
	}
	if err == nil {
		syncFolder(string(p))
	}
	return err
}

// memoryPlace is for programs that begin anew at each start.
type memoryPlace struct{ eventID string }

func (p *memoryPlace) Load() (string, error)     { return p.eventID, nil }
func (p *memoryPlace) Save(eventID string) error { p.eventID = eventID; return nil }

// EventsOptions say which events, and from where on.
type EventsOptions struct {
	// Place: nil keeps none, and it begins after the event After.
	Place Place
	// After: "latest" begins with what happens from now on; empty with the oldest that is kept.
	After string
	// Types: nil means all.
	Types []string
	// Limit is how many are asked for at once; default 100.
	Limit int
	// Wait is how long a request waits for an event, in whole seconds; default 20 s.
	Wait time.Duration
	// NoWait: it ends with the newest event.
	NoWait bool
}

// EventStream has the account's events, one after the other, for ever; no webhook is needed.
//
// Always holds: the place moves past an event with the next call of Next, so when the program has dealt with it. After a
// crash the event under way comes again, and none is left out.
type EventStream struct {
	ctx     context.Context
	caller  *caller
	options EventsOptions
	place   Place
	after   string
	isBegun bool
	page    eventPage
	// hadEvents: the page isn't empty by itself.
	hadEvents bool
	event     *Event
	err       error
}

type eventPage struct {
	Events      []Event `json:"events"`
	LastEventID *string `json:"lastEventId"`
	HasMore     bool    `json:"hasMore"`
}

// Next goes to the next event. False: look at Err. EVENTS_GONE: the events after the place are not there any more; read
// catalog and orders, save "" as the place, and begin again.
func (s *EventStream) Next() bool {
	if s.err != nil {
		return false
	}
	if !s.isBegun {
		s.isBegun = true
		if s.after, s.err = s.place.Load(); s.err == nil {
			s.ask()
		}
	} else if s.event != nil {
		s.moveTo(s.event.EventID)
		s.event = nil
	}
	for s.err == nil && len(s.page.Events) == 0 {
		last := ""
		if s.page.LastEventID != nil {
			// Without it there never was an event, so the first one to come is the oldest.
			last = *s.page.LastEventID
		}
		if last != s.after {
			s.moveTo(last)
		}
		if s.options.NoWait && !s.page.HasMore {
			return false
		}
		if s.hadEvents && !s.page.HasMore {
			_ = s.caller.timing.Sleep(s.ctx, rest)
		}
		if s.err == nil {
			s.ask()
		}
	}
	if s.err != nil {
		return false
	}
	s.event, s.page.Events = &s.page.Events[0], s.page.Events[1:]
	return true
}

// Event is the one that Next went to.
func (s *EventStream) Event() *Event { return s.event }

// Err is nil when the stream has ended by itself.
func (s *EventStream) Err() error { return s.err }

func (s *EventStream) moveTo(eventID string) {
	s.after = eventID
	s.err = s.place.Save(eventID)
}

func (s *EventStream) ask() {
	wait := s.options.Wait
	if s.options.NoWait {
		wait = 0
	}
	path := fmt.Sprintf("/events?limit=%d&wait=%d", s.options.Limit, wait/time.Second)
	if s.after != "" {
		path += "&after=" + url.QueryEscape(s.after)
	}
	if s.options.Types != nil {
		path += "&types=" + url.QueryEscape(strings.Join(s.options.Types, ","))
	}
	s.page = eventPage{}
	s.err = s.caller.json(s.ctx, apiRequest{method: "GET", path: path, timeout: s.caller.timeout + wait}, &s.page)
	s.hadEvents = len(s.page.Events) > 0
}
