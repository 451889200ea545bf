/**
 * Buttons for passkeys. They are hidden until `web/portal/passkey.js` detects support; the
 * browser's answer is then sent in hidden fields of the surrounding form.
 */
import { ServiceError } from '../../../proto/errors.ts'
import type { Markup } from '../../html/markup.ts'
import type { SubmittedForm } from '../../html/forms/form.ts'
import { hiddenField } from '../../html/form.tsx'

interface Names {
  readonly attempt: string
  readonly credential: string
}

/**
 * Field names. Those of a step-up differ, because the waiting form's fields are in the same form.
 */
const passkeyFields = { attempt: 'attempt', credential: 'credential' } as const
export const stepUpFields = {
  attempt: 'step_up_attempt',
  credential: 'step_up_credential',
} as const

export const PasskeyButton = ({
  of,
  token,
  fields = passkeyFields,
  children,
}: {
  of: 'sign_in' | 'step_up'
  /** The form's token. */
  token: string
  fields?: Names
  children?: Markup
}) => (
  <div class="passkey" hidden data-passkey={of} data-token={token}>
    {hiddenField(fields.attempt, '')}
    {hiddenField(fields.credential, '')}
    <button type="button" class="button plain">
      {children}
    </button>
    <p class="wrong" role="status"></p>
    <p class="or">or</p>
  </div>
)

/** For the form that adds a passkey: its submit button asks the device. */
export const NewPasskeyFields = ({ options, attempt }: { options: unknown; attempt: string }) => (
  <div data-passkey="add" data-options={JSON.stringify(options)}>
    {hiddenField(passkeyFields.attempt, attempt)}
    {hiddenField(passkeyFields.credential, '')}
    <p class="wrong" role="status"></p>
  </div>
)

/** Undefined if the form was sent without a passkey. Throws `bad_request`. */
export function passkeyIn(form: SubmittedForm, fields: Names = passkeyFields) {
  const text = form.given(fields.credential)
  if (text === undefined) return undefined
  try {
    return { attempt: form.text(fields.attempt), credential: JSON.parse(text) as unknown }
  } catch (error) {
    throw new ServiceError(
      'bad_request',
      'The passkey response is not valid. Try again.',
      {},
      error,
    )
  }
}
