import {
  claudeLaunch,
  claudeSettings,
  claudeUpstreams,
  hasOwnServer,
  joinedArguments,
} from './wrap/claude.ts';
import { codexLaunch, codexSetup, codexUpstreams } from './wrap/codex.ts';
import { findOrStart, type WrapFlags } from './wrap/gateway-service.ts';
import {
  type Address,
  type Environment,
  type Launch,
  type Upstreams,
  WrapError,
} from './wrap/launch.ts';
import { privateFile } from './wrap/private-file.ts';
import { run } from './wrap/run.ts';
import { tallyLine, tallySince } from './wrap/tally.ts';

export type { WrapFlags };

type Plan = { upstreams: Upstreams; launch: (address: Address) => Launch };

const PROGRAMS: {
  [program: string]: (environment: Environment, own: readonly string[]) => Plan;
} = {
  claude: (environment, own) => {
    const project = process.cwd();
    const settings = claudeSettings(environment, project, own);
    return {
      upstreams: claudeUpstreams(environment, settings),
      launch: (address) => {
        const hasServer = hasOwnServer(environment, project);
        const launch = claudeLaunch(address, environment, settings, hasServer);
        return { ...launch, args: joinedArguments(launch.args, own, project, privateFile) };
      },
    };
  },
  codex: (environment, own) => {
    const setup = codexSetup(environment, own);
    return {
      upstreams: codexUpstreams(setup),
      launch: (address) => {
        const launch = codexLaunch(address, setup, environment);
        return { ...launch, args: [...launch.args, ...own] };
      },
    };
  },
};

/**
 * Runs Claude Code or Codex with its calls led through the service (SPEC 2, section 24). Nothing is
 * written to the user's files: all that is set stands in the environment and the arguments of this run, and
 * in a file that is gone with it. Answers the exit code of the program.
 */
export async function wrapCommand(
  program: string,
  args: readonly string[],
  flags: WrapFlags,
): Promise<number> {
  const plan = Object.hasOwn(PROGRAMS, program)
    ? PROGRAMS[program]?.(process.env, args)
    : undefined;
  if (plan === undefined) {
    const known = Object.keys(PROGRAMS).join(' and ');
    throw new WrapError(
      `"${program}" is not known: ${known} can be wrapped. For all others set the base URL (docs/gateway.md)`,
    );
  }
  const began = new Date();
  const service = await findOrStart(flags, process.env, plan.upstreams);
  try {
    const launch = plan.launch(service);
    for (const warning of launch.warnings) console.error(`palimpsest: ${warning}`);
    const code = await run(program, launch);
    const tally = await tallySince(service, began);
    if (tally !== null) console.error(tallyLine(tally, service));
    return code;
  } finally {
    await service.close();
  }
}
