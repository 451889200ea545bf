/** What the parts of a change's form have in common. */
import type { ChangeTerms } from '../../../../../proto/access/changes/change-terms.ts'
import type { FormProblem } from '../../../../html/forms/problem.ts'
import type { Visit } from '../../../visit.ts'
import type { FormBase, FieldChoices } from './base.ts'
import type { ChangeSubject } from './change-subject.ts'

export interface FormProps {
  readonly visit: Visit
  readonly subject: ChangeSubject
  readonly base: FormBase
  readonly choices: FieldChoices
  readonly problem: FormProblem | undefined
  /** The URL that the form is sent to. */
  readonly action: string
  /** For a draft: its current terms, and the version being edited. */
  readonly draft?: { readonly terms: ChangeTerms; readonly version: number }
}

/** What was typed, otherwise the draft's value, otherwise ''. */
export const fieldText = ({ visit }: FormProps, name: string, drafted: string | undefined) =>
  visit.facts.request.method === 'POST' ? visit.form.text(name) : (drafted ?? '')
