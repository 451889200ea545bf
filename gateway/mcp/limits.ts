/** MCP: limits, with their units in their names. */
import { KiB, MiB } from '../../proto/units.ts'

export const mcpLimits = {
  /** For a session that a client did not ask for, counted from the last command in it. */
  mcpIdleMinutes: 15,
  mcpMaxMinutes: 24 * 60,
  /** Model providers accept images of 5 MiB. */
  mcpImageChars: 5 * MiB,
  mcpProgressMs: 1_000,
  /** uWebSockets.js ends a response that has not been written to for 10 s. */
  mcpKeepAliveMs: 5_000,
  mcpToolsTtlMs: 60 * 60_000,
  mcpDefaultSessionsRemembered: 1_000,
  /** A command has `commandMs` and may have to wait for a session first. */
  mcpCallMs: 150_000,
  mcpLeaveMs: 3_000,
  /** How long a service that does not listen is waited for: a restart takes about as long. */
  mcpReconnectMs: 2_500,
  mcpReconnectPollMs: 100,

  /** The newest, of which resources are listed. */
  resourceSessions: 10,
  resourceBytes: 10 * MiB,

  /** Clients give up on a call after a minute. */
  taskWaitSeconds: 50,
  taskWaitSecondsDefault: 30,
  taskPollMs: 1_000,

  agentCallBytes: 256 * KiB,
  agentGreetMs: 2_000,
} as const
