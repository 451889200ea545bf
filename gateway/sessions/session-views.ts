/** The views of sessions in a gateway. */
import type { SessionView } from '../../proto/session/session.ts'
import type { RunningViews } from '../routing/running-views.ts'
import type { KeptViews } from '../../runtime/actor/kept-views.ts'

export type SessionViews = KeptViews<SessionView>

export type RunningSessions = RunningViews<SessionView>
