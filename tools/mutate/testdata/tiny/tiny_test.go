package tiny

import "testing"

func TestGrown(t *testing.T) {
	if Grown(17) || !Grown(18) {
		t.Error("18 is grown")
	}
}

func TestClamp(t *testing.T) {
	if Clamp(3, 2) != 2 || Clamp(1, 2) != 1 {
		t.Error("2 is the limit")
	}
}

func TestSum(t *testing.T) {
	if Sum([]int{1, 2}) != 3 {
		t.Error("1 + 2 is 3")
	}
}

func TestForever(t *testing.T) {
	Forever(func() bool { return true })
}

func TestNamed(t *testing.T) {
	if Named(true) {
		t.Error("not true is false")
	}
}
