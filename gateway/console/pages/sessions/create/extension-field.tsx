/** The extensions that a new session can have. */
import { extensionListJson } from '../../../../extensions/extension-json.ts'
import { ChoiceField } from '../../../../html/fields.tsx'
import type { FormProblem } from '../../../../html/forms/problem.ts'
import type { ConsoleVisit } from '../../../visit.ts'

export interface ExtensionChoice {
  readonly id: string
  readonly name: string
}

export async function extensionChoices(visit: ConsoleVisit): Promise<readonly ExtensionChoice[]> {
  const { data } = await visit.run('GET /v1/extensions', {}, extensionListJson)
  return data
}

interface Props {
  readonly visit: ConsoleVisit
  readonly problem: FormProblem | undefined
  readonly extensions: readonly ExtensionChoice[]
}

export const ExtensionField = ({ visit, problem, extensions }: Props) => {
  if (extensions.length === 0) return ''
  const asked = visit.asked('extension')
  const chosen = visit.form.has('kind') || asked === undefined ? [] : [asked]
  return (
    <ChoiceField
      name="extensions"
      label="Extensions"
      kind="checkbox"
      problem={problem}
      chosen={[...visit.form.all('extensions'), ...chosen]}
      choices={extensions.map(({ id, name }) => ({ value: id, label: name }))}
    />
  )
}
