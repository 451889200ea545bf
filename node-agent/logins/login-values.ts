/** Asks an actor host for the values of a login. */
import type { FilledLogin, LoginFill } from '../../proto/session/site-login.ts'
import { subjects } from '../../proto/subjects.ts'
import { siteLoginLimits } from '../../runtime/site-logins/limits.ts'
import type { Bus } from '../../runtime/store/bus.ts'
import { askForReply } from '../../runtime/store/reply.ts'

export type AskLoginValues = (request: LoginFill) => Promise<FilledLogin>

export const loginValuesOver =
  (bus: Pick<Bus, 'request'>): AskLoginValues =>
  (request) =>
    askForReply<FilledLogin>(bus, {
      ...{ subject: subjects.loginFills, request, timeoutMs: siteLoginLimits.answerMs },
      silence: 'No actor host answers; try again.',
    })
