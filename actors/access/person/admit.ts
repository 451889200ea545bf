/** Which messages a person accepts in their current state. Gateways check who may send them. */
import { timingSafeEqual } from 'node:crypto'
import { memberRoles, staffRoles, type AccessRole } from '../../../proto/access/author.ts'
import { personActor, type OneTimeSecret } from '../../../proto/access/people/person.ts'
import type { MessageOf, MessageTo } from '../../../proto/actor.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { admitCommand, admitSecond } from '../common/admit.ts'
import { admitCitation } from '../common/citations.ts'
import { admitNewPasskey, admitUse } from './passkeys.ts'
import { admitView } from './saved-views.ts'
import { admitProposal, admitRemoval } from './removal.ts'
import { admitConfirmation } from './rights.ts'
import { hasSession, passesLock } from './sessions.ts'
import type { PersonSnapshot } from './view.ts'
import type { PersonContext } from './context.ts'

export function admitPerson(
  snapshot: PersonSnapshot,
  message: MessageOf<typeof personActor>,
  at: number,
): void {
  const { context, value } = snapshot
  if ('codeStep' in message) admitCode(context, message.codeStep)
  switch (message.type) {
    // The person's state must not be revealed to callers that are not signed in.
    case 'accept':
      if (isValidSecret(context.invitation, message.invitationHash, at)) return
      throw unauthorizedError('The invitation is not valid.')
    case 'use_reset':
      if (!context.reset?.waits && isValidSecret(context.reset, message.resetHash, at)) return
      throw unauthorizedError('The reset is not valid.')
    case 'sign_in':
      if (!isSignedUp(value) || (value === 'locked' && !passesLock(context, message)))
        throw unauthorizedError('The e-mail address or the password is wrong.')
      return admitUse(context, message, at)
    case 'step_up':
      if (!isSignedUp(value) || !hasSession(context.sessions, message.sessionId, at)) {
        throw unauthorizedError('The sign-in has ended; sign in again.')
      }
      return admitUse(context, message, at)
    case 'sign_in_failed':
    case 'sign_out':
      return
  }
  admitCommand(personActor, snapshot, message)
  if (message.type === 'cite') admitCitation(context, message, at)
  if (message.type === 'add_passkey') admitNewPasskey(context, message, at)
  if (message.type === 'save_view') admitView(context.savedViews, message.saved)
  if (message.type === 'reset') admitSecond(message.by, [context.id], 'Resetting your own sign-in')
  if (message.type === 'set_roles') admitRoles(context, message)
  if (message.type === 'confirm') admitConfirmation(context, message, at)
  if (message.type === 'propose_removal') admitProposal(context)
  if (message.type === 'withdraw_removal') {
    admitSecond(message.by, [context.id], 'Withdrawing your own removal')
  }
  if (message.type === 'remove') admitRemoval(snapshot, message.by, at)
}

const isSignedUp = (value: PersonSnapshot['value']) => value === 'active' || value === 'locked'

const unauthorizedError = (message: string): ServiceError =>
  new ServiceError('unauthorized', message)

/** A code is accepted only once, because it may have been observed while it was typed. */
function admitCode({ lastCodeStep }: PersonContext, codeStep: number | undefined): void {
  if (codeStep === undefined || codeStep > lastCodeStep) return
  throw unauthorizedError('This code has already been used; wait for the next one.')
}

/** Unused, unexpired and matching. Both are SHA-256 in hex. */
function isValidSecret(secret: OneTimeSecret | null, hash: string, at: number): boolean {
  if (!secret || secret.expiresAtMs <= at) return false
  const [given, wanted] = [Buffer.from(hash), Buffer.from(secret.hash)]
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

/** Admins, who define the rules, must not give themselves roles that decide. */
function admitRoles(
  { id, kind }: PersonContext,
  { by, roles }: MessageTo<typeof personActor, 'set_roles'>,
): void {
  const known: readonly AccessRole[] = kind === 'staff' ? staffRoles : memberRoles
  if (roles.length === 0 || !roles.every((role) => known.includes(role))) {
    const message = `roles must be one or more of ${known.join(', ')}.`
    throw new ServiceError('validation_failed', message, { pointers: ['/roles'] })
  }
  admitSecond(by, [id], 'Changing your own roles')
}
