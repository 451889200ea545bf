/** The views of sessions in a gateway. */
import type { SessionView } from '../../proto/session/session.ts'
import type { RunningViews } from '../routing/running-views.ts'
import type { ViewIndex } from '../../runtime/actor/views.ts'

export type SessionViews = Pick<
  ViewIndex<SessionView>,
  'get' | 'list' | 'all' | 'learn' | 'onChange'
>

export type RunningSessions = RunningViews<SessionView>
