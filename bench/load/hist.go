package load

import "math/bits"

// hist is a log-linear histogram of latencies in nanoseconds with 64 buckets an
// octave: a quantile is at most 1.6 % above the true one.
type hist struct {
	buckets []uint32
	n       uint64
	max     int64
}

const (
	subBits  = 6
	histSize = (64 - subBits) << subBits
)

func bucketOf(v int64) int {
	if v < 1<<(subBits+1) {
		return int(v)
	}
	s := bits.Len64(uint64(v)) - subBits - 1
	return s<<subBits + int(v>>uint(s))
}

// bucketTop is the largest value that falls into bucket i.
func bucketTop(i int) int64 {
	if i < 1<<(subBits+1) {
		return int64(i)
	}
	s := i>>subBits - 1
	return (int64(i-s<<subBits)+1)<<uint(s) - 1
}

// add counts one latency; a clock that went back counts as none.
func (h *hist) add(v int64) {
	v = max(v, 0)
	if h.buckets == nil {
		h.buckets = make([]uint32, histSize)
	}
	h.buckets[bucketOf(v)]++
	h.n++
	h.max = max(h.max, v)
}

func (h *hist) merge(o *hist) {
	if o.n == 0 {
		return
	}
	if h.buckets == nil {
		h.buckets = make([]uint32, histSize)
	}
	for i, c := range o.buckets {
		h.buckets[i] += c
	}
	h.n += o.n
	h.max = max(h.max, o.max)
}

func (h *hist) quantile(q float64) int64 {
	want := min(uint64(q*float64(h.n)), max(h.n, 1)-1)
	var seen uint64
	for i, c := range h.buckets {
		if seen += uint64(c); seen > want {
			return min(bucketTop(i), h.max)
		}
	}
	return h.max
}
