import { Copy, DockerfileParser, Env, type Instruction } from 'dockerfile-ast';

export type Copied = { from: string | null; sources: string[]; target: string };

export type Stage = {
  image: string;
  tag: string;
  name: string;
  workdir: string;
  environment: Record<string, string>;
  user: string;
  copied: Copied[];
  /** Keyword and arguments of all instructions of the stage. */
  instructions: { keyword: string; text: string }[];
};

/** The stages of a Dockerfile, the last of which is the image. */
export function stagesOf(dockerfile: string): Stage[] {
  const stages: Stage[] = [];
  for (const instruction of DockerfileParser.parse(dockerfile).getInstructions()) {
    const keyword = instruction.getKeyword();
    if (keyword === 'FROM') stages.push(stageOf(instruction));
    else addTo(stages.at(-1), instruction);
  }
  return stages;
}

function stageOf(from: Instruction): Stage {
  const [reference = '', , name = ''] = valuesOf(from);
  const [image = '', tag = ''] = reference.split(':');
  return {
    image,
    tag,
    name,
    workdir: '/',
    environment: {},
    user: 'root',
    copied: [],
    instructions: [],
  };
}

function addTo(stage: Stage | undefined, instruction: Instruction): void {
  if (stage === undefined) throw new Error('an instruction stands before the first FROM');
  const keyword = instruction.getKeyword();
  const values = valuesOf(instruction);
  stage.instructions.push({ keyword, text: instruction.getArgumentsContent() ?? '' });
  if (keyword === 'WORKDIR') stage.workdir = values[0] ?? '/';
  if (keyword === 'USER') stage.user = values[0] ?? 'root';
  if (keyword === 'ADD') throw new Error('ADD does more than its name says: use COPY');
  if (instruction instanceof Env) {
    for (const property of instruction.getProperties()) {
      stage.environment[property.getName()] = property.getValue() ?? '';
    }
  }
  if (instruction instanceof Copy) {
    const from = instruction.getFromFlag()?.getValue() ?? null;
    stage.copied.push({ from, sources: values.slice(0, -1), target: values.at(-1) ?? '' });
  }
}

function valuesOf(instruction: Instruction): string[] {
  return instruction.getArguments().map((argument) => argument.getValue());
}

/** The text of the last instruction of this kind, or null. */
export function lastOf(stage: Stage, keyword: string): string | null {
  return (
    stage.instructions.findLast((instruction) => instruction.keyword === keyword)?.text ?? null
  );
}

/**
 * Whether .dockerignore keeps a path out of the build; the last line that matches decides. Knows `*`,
 * plain names and `!`, and throws on patterns that need more, so that no line is misread.
 */
export function isIgnored(dockerignore: string, path: string): boolean {
  let ignored = false;
  for (const line of dockerignore.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const isException = line.startsWith('!');
    const pattern = isException ? line.slice(1) : line;
    if (pattern !== '*' && !/^[\w.-]+(?:\/[\w.-]+)*$/.test(pattern)) {
      throw new Error(`.dockerignore: ${line} needs a better reader than this one`);
    }
    if (pattern === '*' || path === pattern || path.startsWith(`${pattern}/`)) {
      ignored = !isException;
    }
  }
  return ignored;
}
