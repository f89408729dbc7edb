package telemetry

// podTypes are an agent's workspace and the harness that works in it.
func podTypes() []declaration {
	return []declaration{
		{
			name:     "pod.init.completed",
			meaning:  "a pod workspace was made, or what was missing in one put back",
			commands: []string{"pod init"},
			result:   "workspacePath! id, initialized! bool, created texts, kept count, backup text",
		},
		{
			name:     "pod.status.read",
			meaning:  "it was looked at how a workspace stands",
			commands: []string{"pod status"},
			result:   "status! not-initialized|running|stale|stopped, stopped! bool, openTasks count",
		},
		{
			name:     "pod.tasks.read",
			meaning:  "the tasks of a workspace were listed",
			commands: []string{"pod tasks"},
			result:   "count! count, open! count",
		},
		{
			name:     "pod.stop.requested",
			meaning:  "the flag that ends a workspace's run was raised; already when it was up",
			commands: []string{"pod stop"},
			result:   "by! text, reason text, already bool",
		},
		{
			name:     "pod.stop.cleared",
			meaning:  "the flag that ends a workspace's run was taken away",
			commands: []string{"pod start"},
			result:   "removed! texts",
		},
		{
			name:     "pod.run.started",
			meaning:  "a harness began to work in a workspace; resumed is how many actions the one before was killed in",
			commands: []string{"pod run"},
			payload:  "by! text, everyMs count, ticks count",
			result:   "resumed! count",
		},
		{
			name:     "pod.heartbeat",
			meaning:  "a harness gave a sign of life",
			commands: []string{"pod heartbeat", "pod run"},
			result:   "tick! count, stuck bool, by text",
		},
		{
			name:     "pod.action.completed",
			meaning:  "a harness's action is over; ok is false when it failed or was stopped",
			commands: []string{"pod run"},
			payload:  "actionId! id, tick! count, about text",
			result:   "state! done|failed|stopped, by text, done count, tasks count, notes count, text text",
		},
		{
			name:     "pod.action.interrupted",
			meaning:  "an earlier harness was killed in this action: what became of it is to be found out",
			commands: []string{"pod run"},
			payload:  "actionId! id",
			result:   "about text, tick count",
		},
		{
			name:     "pod.stuck",
			meaning:  "a harness's steps fail one after the other, or say the same while the task stays open; told once",
			commands: []string{"pod run"},
			result:   "reason! text, tick! count, about text",
		},
		{
			name:     "pod.run.stopped",
			meaning:  "a harness ended, and why",
			commands: []string{"pod run"},
			result:   "reason! ticks|stopped|halted|signal|failure, ticks! count, failed count",
		},
	}
}
