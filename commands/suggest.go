package commands

import "strings"

// nearest returns the candidate closest to word by edit distance, or "" when none
// is close enough to be what was meant.
func nearest(word string, candidates []string) string {
	word = strings.ToLower(word)
	best, bestDist := "", 1+max(1, len(word)/3)
	for _, c := range candidates {
		dist := editDistance(word, c)
		if len(word) > 2 && strings.HasPrefix(c, word) {
			dist = min(dist, 1)
		}
		if dist < bestDist {
			best, bestDist = c, dist
		}
	}
	return best
}

// editDistance is Levenshtein's, with a swap of neighbours counted once.
func editDistance(a, b string) int {
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
