package purser

import (
	"context"
	"math/rand"
	"time"
)

// Timing is the clock, the waits and the random numbers of a client; tests replace them.
type Timing interface {
	Now() time.Time
	// Sleep ends early, with its error, when the context does.
	Sleep(ctx context.Context, delay time.Duration) error
	// Random is uniform in [0, 1).
	Random() float64
}

const (
	firstBackoff   = time.Second
	longestBackoff = time.Minute
	// jitterShare is on top, so that programs which failed together don't come back together.
	jitterShare = 0.25
)

type realTiming struct{}

func (realTiming) Now() time.Time  { return time.Now() }
func (realTiming) Random() float64 { return rand.Float64() }

func (realTiming) Sleep(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// retryDelay follows the failed attempt number attempt: 1 s, 2 s, 4 s …, a quarter more at most, never too early.
func retryDelay(attempt, retryAfterSeconds int, random float64) time.Duration {
	backoff := longestBackoff
	if attempt < 7 {
		backoff = firstBackoff << (attempt - 1)
	}
	delay := backoff
	if asked := time.Duration(retryAfterSeconds) * time.Second; asked > delay {
		delay = asked
	}
	return delay + time.Duration(float64(backoff)*jitterShare*random)
}
