package canon

import (
	"errors"
	"strconv"
	"strings"
)

// number reads a number and writes the double nearest to it in ECMAScript's words.
func (p *parser) number() error {
	from := p.at
	if p.next() == '-' {
		p.at++
	}
	if p.next() == '0' {
		p.at++
	} else if err := p.digits(); err != nil {
		return err
	}
	if p.next() == '.' {
		p.at++
		if err := p.digits(); err != nil {
			return err
		}
	}
	if c := p.next(); c == 'e' || c == 'E' {
		p.at++
		if c := p.next(); c == '+' || c == '-' {
			p.at++
		}
		if err := p.digits(); err != nil {
			return err
		}
	}
	p.out = append(p.out, double(string(p.in[from:p.at]))...)
	return nil
}

func (p *parser) digits() error {
	from := p.at
	for c := p.next(); '0' <= c && c <= '9'; c = p.next() {
		p.at++
	}
	if p.at == from {
		return p.fault("a digit")
	}
	return nil
}

// double is ECMAScript's Number::toString of the double nearest to a literal: the
// fewest digits that name it, plain from 1e-6 up to 1e21. No amount of money is
// computed here or read from it.
func double(literal string) string {
	f, err := strconv.ParseFloat(literal, 64)
	if errors.Is(err, strconv.ErrRange) {
		return "null" // what JSON.stringify makes of Infinity
	}
	if f == 0 {
		return "0" // and of -0
	}
	shortest := strconv.FormatFloat(f, 'e', -1, 64) // "-1.25e-07"
	sign := ""
	if shortest[0] == '-' {
		sign, shortest = "-", shortest[1:]
	}
	mantissa, exponent, _ := strings.Cut(shortest, "e")
	digits := strings.Replace(mantissa, ".", "", 1)
	e, _ := strconv.Atoi(exponent)
	k, n := len(digits), e+1 // the value is 0.digits times ten to the n
	switch {
	case k <= n && n <= 21:
		return sign + digits + strings.Repeat("0", n-k)
	case 0 < n && n <= 21:
		return sign + digits[:n] + "." + digits[n:]
	case -6 < n && n <= 0:
		return sign + "0." + strings.Repeat("0", -n) + digits
	}
	if k > 1 {
		digits = digits[:1] + "." + digits[1:]
	}
	if e > 0 {
		return sign + digits + "e+" + strconv.Itoa(e)
	}
	return sign + digits + "e" + strconv.Itoa(e)
}
