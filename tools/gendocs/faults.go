package main

import (
	"strings"

	"github.com/ape-claw/ape-claw/sandbox/faults"
)

// faultsTable lists what a part of the sandbox can do wrong.
func faultsTable(kinds []faults.Kind) string {
	var b strings.Builder
	table(&b, "fault", "value", "default", "")
	for _, k := range kinds {
		row(&b, code(string(k.Name)), k.Value, code(k.Default), k.Means)
	}
	return b.String()
}
